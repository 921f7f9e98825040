/** The attributes of a text that a person has written. Its language is not known. */
export const written = { lang: '', dir: 'auto' } as const
