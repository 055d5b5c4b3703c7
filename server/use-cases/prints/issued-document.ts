/** Renders an invoice, a credit note or a pro-forma invoice as a page. Its PDF is made from the same description. */
import { detectLanguage } from '#domain/text.ts'
import type {
  AmountTable,
  DocumentHighlight,
  DocumentParty,
  DocumentTotal,
  IssuedDocument,
} from '#server/drivers/pdf/issued-document.ts'
import { html, type HtmlMarkup } from '#server/text/html.ts'
import { renderFacts, renderList } from '#server/use-cases/prints/document-parts.ts'
import { renderSheet } from '#server/use-cases/prints/page.ts'

export function renderIssuedDocument(document: IssuedDocument, nonce: string): string {
  const { language, title, number, state, parties, sections, table, totals, highlight, notes, footer } = document
  const sellerName = parties[0]?.name ?? ''
  return renderSheet({
    language,
    nonce,
    title: `${title} ${number}`,
    footer,
    body: html`<header class="head">
<div><p class="product" lang="${detectLanguage(sellerName)}">${sellerName}</p><h1>${title}</h1></div>
<p class="number"><span class="state">${state}</span>${number}</p>
</header>
<div class="parties">${parties.map(renderParty)}</div>
${highlight && renderHighlight(highlight)}
${sections.map((section) => html`<h2>${section.title}</h2>${renderFacts(section.facts)}`)}
${table && renderTable(table)}
<table class="totals"><tbody>${totals.map(renderTotal)}</tbody></table>
<p class="printed">${notes.join(' ')}</p>`,
  })
}

const renderParty = ({ role, name, addressLines, facts }: DocumentParty): HtmlMarkup => html`<section><h2>${role}</h2>
<p class="party"><strong lang="${detectLanguage(name)}">${name}</strong>${addressLines.map((line) => html`<br>${line}`)}</p>
${renderList(facts)}</section>`

const renderHighlight = ({ label, value, text }: DocumentHighlight): HtmlMarkup =>
  html`<p class="highlight"><span>${label}</span><strong>${value}</strong><span>${text}</span></p>`

const renderTable = ({ title, heads: [text, amount], lines }: AmountTable): HtmlMarkup => html`<h2>${title}</h2>
<table>
<thead><tr><th>${text}</th><th class="amount">${amount}</th></tr></thead>
<tbody>${lines.map(
  (line) =>
    html`<tr${line.isSum && html` class="sum"`}><td>${line.text}</td><td class="amount">${line.amount}</td></tr>`,
)}</tbody>
</table>`

const classes = { part: 'part', total: 'whole', words: 'capitals' } as const

const renderTotal = ({ kind, label, value }: DocumentTotal): HtmlMarkup =>
  html`<tr class="${classes[kind]}"><th scope="row">${label}</th><td${kind !== 'words' && html` class="amount"`}>${value}</td></tr>`
