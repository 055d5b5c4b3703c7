/** HTML as tagged text: whatever is put in is escaped, unless it was made by the tag itself. */

/** Made here, so safe to put in as it is. */
export interface Markup {
  html: string
}
export type Part = string | number | Markup | Part[] | false | null | undefined

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escape = (text: string) => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign)

function render(part: Part): string {
  if (part === false || part === null || part === undefined) return ''
  if (Array.isArray(part)) return part.map(render).join('')
  return typeof part === 'object' ? part.html : escape(String(part))
}

export const html = (strings: TemplateStringsArray, ...parts: Part[]): Markup => ({
  html: strings.reduce((made, string, at) => made + render(parts[at - 1]) + string),
})
