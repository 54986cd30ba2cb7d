import Background
