"""Tasks: the joint feature map, the parts and the loss of one application."""
