/** What PATCH /messages/{id} asks for (messages.md § PATCH). */
