/** Whether the reader has a keyboard that hides nothing of the screen. Some keyboards come without a mouse. */
export const hasKeyboard = !matchMedia('(pointer: coarse)').matches
