/** Trims department names. Of names that differ only in case or Unicode form, it keeps the first. */
export function uniqueDepartments(names: readonly string[]): string[] {
  const byName = new Map<string, string>()
  for (const name of names.map((text) => text.trim())) {
    const key = name.normalize('NFC').toLowerCase()
    if (!byName.has(key)) byName.set(key, name)
  }
  return [...byName.values()]
}
