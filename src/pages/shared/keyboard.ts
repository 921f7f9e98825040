/** Whether the reader has a keyboard that hides nothing of the screen. Some keyboards come without a mouse. */
export const hasKeyboard = !matchMedia('(pointer: coarse)').matches

/**
 * Returns the key that was pressed; null for a key that composes a word, as in Japanese. Safari marks the last
 * one, such as Enter, only by the code 229.
 */
export const keyOf = ({ key, isComposing, keyCode }: KeyboardEvent): string | null =>
  isComposing || keyCode === 229 ? null : key
