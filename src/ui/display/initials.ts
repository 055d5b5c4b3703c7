/** Two letters of a Latin name, the last two signs of a Chinese one, as either is called. */
export function initials(name: string): string {
  if (/\p{Script=Han}/u.test(name)) return [...name.replaceAll(/\s/g, '')].slice(-2).join('')
  const words = name.trim().split(/\s+/)
  return [words[0], words.length > 1 ? words.at(-1) : '']
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase()
}
