"""The methods of the trait `RuntimeOp`."""

from __future__ import annotations

_PACKED = ("inputs", "params", "output", "output_shape", "output_row_stride")
_BACKWARD = (
    *_PACKED[:4],
    *("grad_output", "grad_output_row_stride", "grad_inputs", "grad_params"),
)
_SHAPES = ("input_shapes", "output_shape")
PARAMETERS = {
    "n_activation_inputs": (),
    "param_shapes": _SHAPES,
    "param_names": (),
    "pack_args": _PACKED,
    "block": (),
    "grid": ("output_shape",),
    "n_launches": (),
    "pack_args_for_launch": ("launch", *_PACKED),
    "grid_for_launch": ("launch", *_SHAPES),
    "has_backward": (),
    "pack_backward_args": _BACKWARD,
    "backward_block": (),
    "backward_grid": _SHAPES,
    "n_backward_launches": (),
    "pack_backward_args_for_launch": ("launch", *_BACKWARD),
    "backward_grid_for_launch": ("launch", *_SHAPES),
    "forward_output_row_elems": ("shape",),
    "forward_output_row_stride": ("shape",),
    "backward_grad_output_row_stride": ("shape",),
}
"""The methods of the trait that the runtime may call, with the parameters it gives them."""
