import { type Letter, type Recipient, type Sender, writeLetter } from './letter.js'

/** Writes the mail with a link to choose a new password. */
export function passwordResetLetter(organization: Sender | null, person: Recipient): Letter {
  return writeLetter(organization, person, {
    subject: 'Choose a new password',
    paragraphs: [
      'Someone, probably you, has asked to set a new password for this e-mail address.',
      'The link works once, for one hour. If it was not you, you can ignore this mail.',
    ],
    label: 'Set a new password',
  })
}
