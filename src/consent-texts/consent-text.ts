import { createHash } from 'node:crypto'

const english = `You are about to take part in a simulation of work.

What is recorded: the messages that you write, the decisions that you make, the words that you exchange with the \
trainers, the ratings that observers give and that you give yourself, and the time of each.

Who sees it: the trainers, the observers who rate the session, and the other participants in the room. Private words \
with the trainers and ratings are not shown to other participants. Figures that compare sessions have no names.

How long it is kept: until your organization deletes the session. The trainer can tell you when that will be. You can \
ask the trainer to delete it.

You take part of your own free will. You may leave at any time. What you have written until then stays in the session.`

const german = `Sie nehmen gleich an einer Übung teil, die Arbeit simuliert.

Was aufgezeichnet wird: Ihre Nachrichten, Ihre Entscheidungen, was Sie der Leitung schreiben und sie Ihnen, die \
Bewertungen durch Beobachtende und durch Sie selbst, und jeweils die Zeit.

Wer es sieht: die Leitung, die Beobachtenden, die die Übung bewerten, und die anderen Teilnehmenden im Raum. Was Sie \
und die Leitung einander schreiben, und Bewertungen, sehen andere Teilnehmende nicht. Zahlen, die Übungen \
vergleichen, enthalten keine Namen.

Wie lange es aufbewahrt wird: bis Ihre Organisation die Übung löscht. Die Leitung kann Ihnen sagen, wann das sein wird. \
Sie können die Leitung bitten, die Übung zu löschen.

Sie nehmen freiwillig teil. Sie können jederzeit gehen. Was Sie bis dahin geschrieben haben, bleibt in der Übung.`

/**
 * Never change this text after a release: participants have agreed to this very one. It has all languages of the
 * pages, so that one version is one text with one hash.
 */
const text = `Deutsch: weiter unten.\n\n${english}\n\nDeutsch\n\n${german}`

/** The hash by which a place keeps the text that its participant has agreed to. */
export const hashOfText = (text: string) => createHash('sha256').update(text).digest('hex')

/** The consent text of organizations that have none of their own. */
export const defaultConsentText = {
  version: 0,
  text,
  sha256: hashOfText(text),
  created_at: null,
  created_by: null,
}
