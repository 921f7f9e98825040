/** The form in which e-mail addresses are compared: case and outer spaces do not count. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()
