import { type Letter, type Sender, writeLetter } from './letter.js'

/** The mail that invites a person, with the link that lets them choose a password. */
export function invitationLetter(
  organization: { name: string; branding: Sender },
  { to, full_name, url }: { to: string; full_name: string | null; url: string },
): Letter {
  const name = organization.branding.company_name ?? organization.name
  return writeLetter(
    { ...organization.branding, company_name: name },
    {
      to,
      subject: `${name} invites you to its simulated workplace`,
      paragraphs: [
        `Hello ${full_name ?? ''}`.trim(),
        `${name} has invited you to take part in its simulated workplace. Choose a password to begin.`,
        'The link works once, for seven days. If you did not expect it, you can ignore this mail.',
      ],
      link: { label: 'Accept the invitation', url },
    },
  )
}
