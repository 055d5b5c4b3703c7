import { html } from '#server/text/html.ts'
import type { AppContent } from '#demo/sample-instance/erp/app-data.ts'
import {
  renderAlert,
  renderCsrfField,
  renderField,
  renderFrame,
  type PageView,
  type TextKey,
} from '#demo/sample-instance/erp/pages.ts'
import type { listUsers, SampleSession } from '#demo/sample-instance/erp/users.ts'

export interface MemoryUse {
  task: number
  usedMb: number
  limitMb: number
}

export function renderOverviewPage(
  view: PageView,
  session: SampleSession,
  { task, usedMb, limitMb }: MemoryUse,
): string {
  const { translate } = view
  return renderFrame(
    view,
    translate('overview'),
    html`<section><h2>${translate('memory')}</h2>
<p>${translate('task', { number: task })}: ${translate('memory-used', { used: usedMb, limit: limitMb })}</p>
<p><meter min="0" max="${limitMb}" value="${Math.min(usedMb, limitMb)}"></meter></p>
<form method="post" action="/memory">${renderCsrfField(session)}<button class="quiet">${translate('memory-more')}</button> <span class="note">${translate('memory-note')}</span></form>
</section>`,
  )
}

export function renderUsersPage(
  view: PageView,
  session: SampleSession,
  users: Awaited<ReturnType<typeof listUsers>>,
  { name, fault }: { name: string; fault: TextKey | null },
): string {
  const { translate } = view
  const getLabels = ({ is_admin, canSignIn }: (typeof users)[number]) => [
    is_admin === 1 && translate('administrator'),
    !canSignIn && translate('no-login-yet'),
  ]
  const rows = users.map(
    (user) =>
      html`<tr><td>${user.name}</td><td>${getLabels(user).filter(Boolean).join(' · ')}</td><td>${
        user.is_admin === 0 &&
        html`<form method="post" action="/users/${user.id}/delete">${renderCsrfField(session)}<button class="quiet">${translate('delete')}</button></form>`
      }</td></tr>`,
  )
  return renderFrame(
    view,
    translate('users'),
    html`<div class="table"><table><tbody>${rows}</tbody></table></div>
<h2>${translate('add-user')}</h2>
${renderAlert(fault && translate(fault))}
<form method="post" class="fields">
${renderCsrfField(session)}
${renderField(translate, 'user', 'user', name, html` maxlength="40" autocomplete="off" autocapitalize="none"`)}
${renderField(translate, 'password', 'password', '', html` type="password" autocomplete="new-password" minlength="8" maxlength="200"`)}
<p><button>${translate('add-user')}</button></p>
</form>`,
  )
}

export function renderAppsPage(view: PageView, apps: readonly AppContent[]): string {
  const { translate } = view
  const renderFlag = ([key, value]: [string, boolean | number]) => html`<li><code>${key}</code>: ${String(value)}</li>`
  const cards = apps.map(
    ({ code, name, version, module, flags, files }) => html`<section>
<h2>${name} <code>${code}</code></h2>
<dl><dt>${translate('version')}</dt><dd>${version}</dd><dt>${translate('module')}</dt><dd>${module}</dd>${
      Object.keys(flags).length > 0 &&
      html`<dt>${translate('flags')}</dt><dd><ul>${Object.entries(flags).map(renderFlag)}</ul></dd>`
    }</dl>
${files.length === 0 && html`<p class="note">${translate('no-data')}</p>`}
${files.map((file) => html`<details><summary>${translate('data')}: ${file.name}</summary>${file.text === null ? html`<p class="note">${translate('not-shown')}</p>` : html`<pre>${file.text}</pre>`}</details>`)}
</section>`,
  )
  return renderFrame(view, translate('apps'), html`${apps.length === 0 ? html`<p>${translate('no-apps')}</p>` : cards}`)
}
