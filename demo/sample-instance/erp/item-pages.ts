import { html } from '#server/text/html.ts'
import {
  type StockItem,
  type ItemFields,
  type ItemPage,
  pageSize,
  formatQuantity,
} from '#demo/sample-instance/erp/items.ts'
import {
  renderAlert,
  renderCsrfField,
  renderField,
  renderFrame,
  type PageView,
  type TextKey,
} from '#demo/sample-instance/erp/pages.ts'
import type { SampleSession } from '#demo/sample-instance/erp/users.ts'

export function renderItemsPage(view: PageView, { items, total }: ItemPage, search: string, page: number): string {
  const { translate } = view
  const renderLink = (targetPage: number, textKey: TextKey) =>
    html`<a href="/items?${new URLSearchParams({ search, page: String(targetPage) }).toString()}">${translate(textKey)}</a>`
  const rows = items.map(
    ({ id, code, name, quantity, unit }) =>
      html`<tr><td><a href="/items/${id}">${code}</a></td><td>${name}</td><td class="number">${formatQuantity(quantity)}</td><td>${unit}</td></tr>`,
  )
  const table = html`<div class="table"><table>
<thead><tr><th>${translate('code')}</th><th>${translate('name')}</th><th class="number">${translate('quantity')}</th><th>${translate('unit')}</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>
<p class="pages">${translate('found', { count: total })} ${page > 0 && renderLink(page - 1, 'previous')} ${(page + 1) * pageSize < total && renderLink(page + 1, 'next')}</p>`
  return renderFrame(
    view,
    translate('items'),
    html`<div class="bar">
<form method="get" role="search"><input type="search" name="search" value="${search}" maxlength="100" aria-label="${translate('search-items')}" placeholder="${translate('search-items')}"><button class="quiet">${translate('search')}</button></form>
<a class="button" href="/items/new">${translate('new-item')}</a>
</div>
${total > 0 ? table : html`<p>${translate(search === '' ? 'no-items' : 'nothing-found')}</p>`}`,
  )
}

export interface ItemForm {
  /** The edited item. Null for a new item. */
  item: Pick<StockItem, 'id' | 'version'> | null
  fields: ItemFields
  fault: TextKey | null
}

export function renderItemPage(view: PageView, session: SampleSession, { item, fields, fault }: ItemForm): string {
  const { translate } = view
  const title = translate(item ? 'change-item' : 'new-item')
  return renderFrame(
    view,
    title,
    html`${renderAlert(fault && translate(fault))}
<form method="post" class="fields">
${renderCsrfField(session)}${item && html`<input type="hidden" name="version" value="${item.version}">`}
${renderField(translate, 'code', 'code', fields.code, html` maxlength="30" autocapitalize="none"`)}
${renderField(translate, 'name', 'name', fields.name, html` maxlength="100"`)}
${renderField(translate, 'quantity', 'quantity', fields.quantity, html` inputmode="decimal" maxlength="14"`)}
${renderField(translate, 'unit', 'unit', fields.unit, html` maxlength="20"`)}
<p><button>${translate('save')}</button> <a href="/items">${translate('cancel')}</a></p>
</form>
${
  item &&
  html`<details><summary>${translate('delete-item')}</summary>
<form method="post" action="/items/${item.id}/delete">${renderCsrfField(session)}<button class="danger">${translate('delete')}</button></form>
</details>`
}`,
  )
}
