import { announce } from '../process/log.js'
import type { Letter } from './letter.js'

/** Prints a letter: as text on a terminal, else as one line of the log with its fields. */
export function printLetter({ to, subject, text }: Letter): void {
  announce(`\nTo: ${to}\nSubject: ${subject}\n\n${text}`, { to, subject, text }, 'mail')
}
