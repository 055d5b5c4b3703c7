/** Builds HTML with a template tag: every inserted value is escaped, unless the tag itself created it. */

export interface HtmlMarkup {
  html: string
}
export type HtmlPart = string | number | HtmlMarkup | HtmlPart[] | false | null | undefined

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign)

function render(part: HtmlPart): string {
  if (part === false || part === null || part === undefined) return ''
  if (Array.isArray(part)) return part.map(render).join('')
  return typeof part === 'object' ? part.html : escapeHtml(String(part))
}

export const html = (strings: TemplateStringsArray, ...parts: HtmlPart[]): HtmlMarkup => ({
  html: strings.reduce((output, string, index) => output + render(parts[index - 1]) + string),
})
