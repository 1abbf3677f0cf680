"""The editor's model: windows, views, buffers and all they show, with no knowledge of the plugin API's classes."""
