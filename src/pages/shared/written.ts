/** The attributes of what a person has written, in whatever language. */
export const written = { lang: '', dir: 'auto' } as const
