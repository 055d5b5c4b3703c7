/** What stands in JSON text and is gone once it is parsed (S-02, S-11): names given twice, `__proto__`, depth. */

const maxDepth = 20
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Of text that is known to be valid JSON: the name that is given twice in one object or that means something to JavaScript; the
 * empty text for more than 20 levels; null for text without such tricks. Linear, not recursive: a string before a colon is a name.
 */
export function jsonTrick(text: string): string | null {
  const open: (Set<string> | null)[] = []
  let string = ''
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/g)) {
    if (token === '{' || token === '[') {
      if (open.push(token === '{' ? new Set() : null) > maxDepth) return ''
    } else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const name = JSON.parse(string) as string
      const names = open.at(-1)
      if (forbidden.has(name) || names?.has(name)) return name
      names?.add(name)
    } else string = token
  }
  return null
}
