/** The mail box as a page: the list, and beside it the mail that was opened, as people get it and as plain text. */
import { timestampIn } from '#domain/time.ts'
import { html, type Markup } from '#server/text/html.ts'
import type { StoredMail, MailBox } from '#demo/mail/mailbox.ts'

interface Shown {
  /** Of the mail that is opened. */
  name: string | null
  timeZone: string
}

export function page({ keeps, mails }: MailBox, opened: StoredMail | null, { name, timeZone }: Shown): string {
  const time = (mail: StoredMail) => timestampIn(timeZone, mail.time)
  const items = mails.map(
    (mail) => html`<li>
<a href="/dev/mail/${mail.name}"${mail.name === name && html` aria-current="page"`}>
<strong>${mail.subject}</strong>
<span>${mail.to.address}</span>
<time>${time(mail)}</time>
</a>
</li>`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${opened ? `${opened.subject} · Mail box` : 'Mail box'}</title>
<link rel="stylesheet" href="/dev/mail.css">
</head>
<body${opened && html` class="reading"`}>
<header>
<h1><a href="/dev/mail">Mail box</a></h1>
<p>What the portal would send. Only in demo mode. <a href="/dev/mail">Look again</a> · <a href="/saas/login">To the portal</a></p>
</header>
<div class="columns">
<nav aria-label="Mails">
${items.length > 0 && html`<ol>${items}</ol>`}
${items.length === 0 && empty(keeps)}
</nav>
<main>
${opened ? reading(opened, time(opened)) : items.length > 0 && html`<p class="none">Choose a mail to read it.</p>`}
</main>
</div>
</body>
</html>
`.html
}

const empty = (keeps: boolean): Markup =>
  keeps
    ? html`<p class="none">No mail yet. Register a company or ask for a new password, then look again.</p>`
    : html`<p class="none">Mails go to the server that SMTP_URL names; none is kept here.</p>`

/** The mail's own page may open its links in place of this one, when they are clicked, and do nothing else. */
const reading = (mail: StoredMail, time: string): Markup => html`<a class="back" href="/dev/mail">All mails</a>
<h2>${mail.subject}</h2>
<dl><dt>To</dt><dd>${mail.to.name} &lt;${mail.to.address}&gt;</dd><dt>Sent</dt><dd><time>${time}</time></dd></dl>
<iframe title="The mail as it looks" sandbox="allow-top-navigation-by-user-activation" srcdoc="${framed(mail.html)}"></iframe>
<h3>Plain text</h3>
<pre tabindex="0">${linked(mail.text)}</pre>`

const framed = (page: string) => page.replace('<head>', '<head><base target="_top">')

/** Addresses of the web can be clicked. */
const linked = (text: string): (string | Markup)[] =>
  text.split(/(https?:\/\/\S+)/).map((part, at) => (at % 2 === 1 ? html`<a href="${part}">${part}</a>` : part))
