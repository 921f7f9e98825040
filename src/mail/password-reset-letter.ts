import { type Letter, type Sender, writeLetter } from './letter.js'

/** The mail that lets a person who forgot their password choose a new one. */
export function passwordResetLetter(
  organization: { name: string; branding: Sender },
  { to, full_name, url }: { to: string; full_name: string | null; url: string },
): Letter {
  const name = organization.branding.company_name ?? organization.name
  return writeLetter(
    { ...organization.branding, company_name: name },
    {
      to,
      subject: `A new password for ${name}`,
      paragraphs: [
        `Hello ${full_name ?? ''}`.trim(),
        'Somebody, probably you, has asked to set a new password for this e-mail address.',
        'The link works once, for one hour. If it was not you, you can ignore this mail.',
      ],
      link: { label: 'Set a new password', url },
    },
  )
}
