/** Returns the first letters of the first and last word, or the last two characters of a Chinese name. Ignores text in brackets. */
export function getInitials(fullName: string): string {
  const name = fullName.replaceAll(/[（(][^)）]*[)）]/g, ' ')
  const han = name.replaceAll(/\s/g, '').match(/\p{Script=Han}+/gu)
  if (han) return [...(han.at(-1) ?? '')].slice(-2).join('')
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’.-]*/gu) ?? []
  return [words[0], words.length > 1 ? words.at(-1) : '']
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase()
}
