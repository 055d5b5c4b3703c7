import { html } from '#server/text/html.ts'
import { type Item, type ItemFields, type ItemPage, pageSize, writeQuantity } from '#demo/sample-instance/items.ts'
import { alert, csrfField, field, frame, type Shown, type Word } from '#demo/sample-instance/pages.ts'
import type { Session } from '#demo/sample-instance/users.ts'

export function itemsPage(shown: Shown, { items, total }: ItemPage, search: string, page: number): string {
  const { say } = shown
  const link = (to: number, word: Word) =>
    html`<a href="/items?${new URLSearchParams({ search, page: String(to) }).toString()}">${say(word)}</a>`
  const rows = items.map(
    ({ id, code, name, quantity, unit }) =>
      html`<tr><td><a href="/items/${id}">${code}</a></td><td>${name}</td><td class="number">${writeQuantity(quantity)}</td><td>${unit}</td></tr>`,
  )
  const table = html`<div class="table"><table>
<thead><tr><th>${say('code')}</th><th>${say('name')}</th><th class="number">${say('quantity')}</th><th>${say('unit')}</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>
<p class="pages">${say('found', { count: total })} ${page > 0 && link(page - 1, 'previous')} ${(page + 1) * pageSize < total && link(page + 1, 'next')}</p>`
  return frame(
    shown,
    say('items'),
    html`<div class="bar">
<form method="get" role="search"><input type="search" name="search" value="${search}" maxlength="100" aria-label="${say('search-items')}" placeholder="${say('search-items')}"><button class="quiet">${say('search')}</button></form>
<a class="button" href="/items/new">${say('new-item')}</a>
</div>
${total > 0 ? table : html`<p>${say(search === '' ? 'no-items' : 'nothing-found')}</p>`}`,
  )
}

export interface EditedItem {
  /** Null: a new one. */
  item: Pick<Item, 'id' | 'version'> | null
  fields: ItemFields
  fault: Word | null
}

export function itemPage(shown: Shown, session: Session, { item, fields, fault }: EditedItem): string {
  const { say } = shown
  const title = say(item ? 'change-item' : 'new-item')
  return frame(
    shown,
    title,
    html`${alert(fault && say(fault))}
<form method="post" class="fields">
${csrfField(session)}${item && html`<input type="hidden" name="version" value="${item.version}">`}
${field(say, 'code', 'code', fields.code, html` maxlength="30" autocapitalize="none"`)}
${field(say, 'name', 'name', fields.name, html` maxlength="100"`)}
${field(say, 'quantity', 'quantity', fields.quantity, html` inputmode="decimal" maxlength="14"`)}
${field(say, 'unit', 'unit', fields.unit, html` maxlength="20"`)}
<p><button>${say('save')}</button> <a href="/items">${say('cancel')}</a></p>
</form>
${
  item &&
  html`<details><summary>${say('delete-item')}</summary>
<form method="post" action="/items/${item.id}/delete">${csrfField(session)}<button class="danger">${say('delete')}</button></form>
</details>`
}`,
  )
}
