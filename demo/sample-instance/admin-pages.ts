import { html } from '#server/text/html.ts'
import type { AppData } from '#demo/sample-instance/app-data.ts'
import { alert, csrfField, field, frame, type Shown, type Word } from '#demo/sample-instance/pages.ts'
import type { allUsers, Session } from '#demo/sample-instance/users.ts'

export interface MemoryUse {
  task: number
  usedMb: number
  limitMb: number
}

export function overviewPage(shown: Shown, session: Session, { task, usedMb, limitMb }: MemoryUse): string {
  const { say } = shown
  return frame(
    shown,
    say('overview'),
    html`<section><h2>${say('memory')}</h2>
<p>${say('task', { number: task })}: ${say('memory-used', { used: usedMb, limit: limitMb })}</p>
<p><meter min="0" max="${limitMb}" value="${Math.min(usedMb, limitMb)}"></meter></p>
<form method="post" action="/memory">${csrfField(session)}<button class="quiet">${say('memory-more')}</button> <span class="note">${say('memory-note')}</span></form>
</section>`,
  )
}

export function usersPage(
  shown: Shown,
  session: Session,
  users: ReturnType<typeof allUsers>,
  { name, fault }: { name: string; fault: Word | null },
): string {
  const { say } = shown
  const state = ({ is_admin, can_sign_in }: (typeof users)[number]) => [
    is_admin === 1 && say('administrator'),
    can_sign_in === 0 && say('no-login-yet'),
  ]
  const rows = users.map(
    (user) =>
      html`<tr><td>${user.name}</td><td>${state(user).filter(Boolean).join(' · ')}</td><td>${
        user.is_admin === 0 &&
        html`<form method="post" action="/users/${user.id}/delete">${csrfField(session)}<button class="quiet">${say('delete')}</button></form>`
      }</td></tr>`,
  )
  return frame(
    shown,
    say('users'),
    html`<div class="table"><table><tbody>${rows}</tbody></table></div>
<h2>${say('add-user')}</h2>
${alert(fault && say(fault))}
<form method="post" class="fields">
${csrfField(session)}
${field(say, 'user', 'user', name, html` maxlength="40" autocomplete="off" autocapitalize="none"`)}
${field(say, 'password', 'password', '', html` type="password" autocomplete="new-password" minlength="8" maxlength="200"`)}
<p><button>${say('add-user')}</button></p>
</form>`,
  )
}

export function appsPage(shown: Shown, apps: readonly AppData[]): string {
  const { say } = shown
  const flag = ([key, value]: [string, boolean | number]) => html`<li><code>${key}</code>: ${String(value)}</li>`
  const cards = apps.map(
    ({ code, name, version, module, flags, files }) => html`<section>
<h2>${name} <code>${code}</code></h2>
<dl><dt>${say('version')}</dt><dd>${version}</dd><dt>${say('module')}</dt><dd>${module}</dd>${
      Object.keys(flags).length > 0 &&
      html`<dt>${say('flags')}</dt><dd><ul>${Object.entries(flags).map(flag)}</ul></dd>`
    }</dl>
${files.length === 0 && html`<p class="note">${say('no-data')}</p>`}
${files.map((file) => html`<details><summary>${say('data')}: ${file.name}</summary>${file.text === null ? html`<p class="note">${say('not-shown')}</p>` : html`<pre>${file.text}</pre>`}</details>`)}
</section>`,
  )
  return frame(shown, say('apps'), html`${apps.length === 0 ? html`<p>${say('no-apps')}</p>` : cards}`)
}
