/** A translation, and the text for which it stands. */
interface Translated {
  text: Text
  data: string
  translation: HTMLElement
}

const all = new WeakMap<Node, Translated>()

/**
 * Keeps a page right while its browser translates it. A translator takes a text out of the page and puts a `font`
 * in its place. What the page writes into that text later would not be seen. So this puts the text back, empty,
 * before its translation. When the page changes or removes the text, this removes the translation.
 */
export function keepTranslated(page: Node): void {
  const observer = new MutationObserver((records) => {
    for (const record of records) {
      for (const node of [record.target, ...record.removedNodes]) {
        const known = all.get(node)
        if (known) settle(known, record)
        else if (node instanceof Text) keep(node, record)
      }
    }
    // The observer has made these changes itself.
    observer.takeRecords()
  })
  observer.observe(page, { childList: true, characterData: true, subtree: true })
}

/** Puts a text back that a translation has replaced. */
function keep(text: Text, { target, addedNodes, previousSibling, nextSibling }: MutationRecord) {
  const isNew = (node: Node | null): node is HTMLElement =>
    node instanceof HTMLElement && node.localName === 'font' && !all.has(node)
  const translation = [...addedNodes, previousSibling, nextSibling].find(isNew)
  if (!translation || text.parentNode === target) return
  const known = { text, data: text.data, translation }
  // Some translators move the text itself into the translation.
  if (translation.contains(text)) text.replaceWith(text.data)
  text.data = ''
  translation.before(text)
  all.set(text, known).set(translation, known)
}

/** Removes a translation whose text the page has changed or removed. */
function settle({ text, data, translation }: Translated, { type, target }: MutationRecord): void {
  const isChanged = type === 'characterData' && target === text
  if (!isChanged && text.parentNode && translation.parentNode) {
    if (text.nextSibling !== translation) text.after(translation)
    return
  }
  // The translator may put the text itself back.
  if (!isChanged) text.data = data
  translation.remove()
  all.delete(text)
  all.delete(translation)
}
