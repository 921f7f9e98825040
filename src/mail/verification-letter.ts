import { type Letter, type Recipient, writeLetter } from './letter.js'

/**
 * Writes the mail with a link to verify an e-mail address. It has no word of the person who registered:
 * they may be a stranger to the reader.
 */
export function verificationLetter(reader: Omit<Recipient, 'full_name'>): Letter {
  return writeLetter(null, reader, {
    subject: 'Confirm your e-mail address',
    paragraphs: [
      'Someone, probably you, wants to use this e-mail address for a simulated workplace.',
      'Open the link and log in to confirm that the address is yours. The link works once, for seven days. If it was not you, you can ignore this mail.',
    ],
    label: 'Confirm the address',
  })
}
