import { displayName, type Letter, type Recipient, type Sender, writeLetter } from './letter.js'

/** Writes the mail that invites a person, with a link to choose a password. */
export function invitationLetter(organization: Sender, invitee: Recipient): Letter {
  return writeLetter(organization, invitee, {
    subject: 'Your invitation to a simulated workplace',
    paragraphs: [
      `${displayName(organization)} has invited you to take part in its simulated workplace. Choose a password to begin.`,
      'The link works once, for seven days. If you did not expect it, you can ignore this mail.',
    ],
    label: 'Accept the invitation',
  })
}
