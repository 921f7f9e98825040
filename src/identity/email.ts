/** An e-mail address as it is compared: one that differs only in case or outer spaces is the same. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()
