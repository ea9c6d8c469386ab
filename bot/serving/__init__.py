"""What serving Gemma 4 needs and what it can hold: geometry, memory, planners, hardware, and the engine's start-up log. Pure."""
