/**
 * A change log as a page of its own: Markdown, made into HTML by `marked` and cleaned by `sanitize-html`, so that of whatever its
 * author wrote only text, tables and links to other sites are left (U-10).
 */
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
    // Relative addresses would lead into the portal: of such a link its text is left, because no `span` is let in.
    a: (tagName, { href }): sanitize.Tag =>
      isExternalLink(href)
        ? { tagName, attribs: { href, rel: 'noopener noreferrer', target: '_blank' } }
        : { tagName: 'span', attribs: {} },
  },
  nestingLimit: 50,
}

const isExternalLink = (href: string | undefined): href is string => /^(https:\/\/|mailto:)/i.test(href ?? '')

/** Throws RangeError for what is nested deeper than can be walked. */
export function renderChangeLog(markdown: string): string {
  const html = marked.parse(markdown.replace(/^\uFEFF/, ''), { async: false, gfm: true })
  // Chinese or English: nobody says which.
  const [language, title] = /\p{Script=Han}/u.test(markdown) ? ['zh-Hans', '更新日志'] : ['en', 'Change log']
  return `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>${title}</title><style>${changeLogStyle}</style><body>${sanitize(html, sanitizeRules)}</body></html>`
}
