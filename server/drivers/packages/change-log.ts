/** Renders a change log: `marked` creates HTML, and `sanitize-html` leaves only text, tables and external links (U-10). */
import { marked } from 'marked'
import sanitize from 'sanitize-html'
import { changeLogStyle } from '#server/drivers/packages/change-log-style.ts'

const sanitizeRules: sanitize.IOptions = {
  allowedTags:
    'h1 h2 h3 h4 h5 h6 p br hr blockquote ul ol li pre code strong em del a table thead tbody tr th td'.split(' '),
  allowedAttributes: { a: ['href', 'rel', 'target'], ol: ['start'] },
  allowedSchemes: ['https', 'mailto'],
  allowProtocolRelative: false,
  transformTags: {
    // Relative links would lead into the portal. Only their text is left, because `span` is not an allowed tag.
    a: (tagName, { href }): sanitize.Tag =>
      isExternalLink(href)
        ? { tagName, attribs: { href, rel: 'noopener noreferrer', target: '_blank' } }
        : { tagName: 'span', attribs: {} },
  },
  nestingLimit: 50,
}

const isExternalLink = (href: string | undefined): href is string => /^(https:\/\/|mailto:)/i.test(href ?? '')

/** Throws RangeError if the Markdown is nested too deeply. */
export function renderChangeLog(markdown: string): string {
  const html = marked.parse(markdown.replace(/^\uFEFF/, ''), { async: false, gfm: true })
  // Chinese or English is detected from the text, because the package does not declare its language.
  const [language, title] = /\p{Script=Han}/u.test(markdown) ? ['zh-Hans', '更新日志'] : ['en', 'Change log']
  return `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>${title}</title><style>${changeLogStyle}</style><body>${sanitize(html, sanitizeRules)}</body></html>`
}
