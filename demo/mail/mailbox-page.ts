import { toTimestamp } from '#domain/time.ts'
import { html, type HtmlMarkup } from '#server/text/html.ts'
import type { StoredMail, MailBox } from '#demo/mail/mailbox.ts'

interface MailPageOptions {
  /** File name of the opened mail. Null if no mail is open. */
  name: string | null
  timeZone: string
}

export function renderMailboxPage(
  { isStoring, mails }: MailBox,
  openedMail: StoredMail | null,
  { name, timeZone }: MailPageOptions,
): string {
  const formatTime = (mail: StoredMail) => toTimestamp(timeZone, mail.time)
  const items = mails.map(
    (mail) => html`<li>
<a href="/dev/mail/${mail.name}"${mail.name === name && html` aria-current="page"`}>
<strong>${mail.subject}</strong>
<span>${mail.to.address}</span>
<time>${formatTime(mail)}</time>
</a>
</li>`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${openedMail ? `${openedMail.subject} · Mail box` : 'Mail box'}</title>
<link rel="stylesheet" href="/dev/mail.css">
</head>
<body${openedMail && html` class="reading"`}>
<header>
<h1><a href="/dev/mail">Mail box</a></h1>
<p>What the portal would send. Only in demo mode. <a href="/dev/mail">Look again</a> · <a href="/saas/login">To the portal</a></p>
</header>
<div class="columns">
<nav aria-label="Mails">
${items.length > 0 && html`<ol>${items}</ol>`}
${items.length === 0 && renderEmptyList(isStoring)}
</nav>
<main>
${openedMail && name !== null ? renderMail(openedMail, { name, time: formatTime(openedMail) }) : items.length > 0 && html`<p class="none">Choose a mail to read it.</p>`}
</main>
</div>
</body>
</html>
`.html
}

const renderEmptyList = (isStoring: boolean): HtmlMarkup =>
  isStoring
    ? html`<p class="none">No mail yet. Register a company or ask for a new password, then look again.</p>`
    : html`<p class="none">Mails are sent through SMTP_URL and are not stored here.</p>`

/** A clicked link in the mail may replace this page. The sandbox blocks everything else. */
const renderMail = (
  mail: StoredMail,
  { name, time }: { name: string; time: string },
): HtmlMarkup => html`<a class="back" href="/dev/mail">All mails</a>
<h2>${mail.subject}</h2>
<dl><dt>To</dt><dd>${mail.to.name} &lt;${mail.to.address}&gt;</dd><dt>Sent</dt><dd><time>${time}</time></dd>${renderAttachments(mail, name)}</dl>
<iframe title="The mail as it looks" sandbox="allow-top-navigation-by-user-activation" srcdoc="${addBaseTarget(mail.html)}"></iframe>
<h3>Plain text</h3>
<pre tabindex="0">${linkAddresses(mail.text)}</pre>`

const renderAttachments = ({ attachments = [] }: StoredMail, name: string): HtmlMarkup[] =>
  attachments.map(
    (attachment, index) =>
      html`<dt>File</dt><dd><a href="/dev/mail/${name}/attachment/${index}">${attachment.name}</a></dd>`,
  )

const addBaseTarget = (page: string) => page.replace('<head>', '<head><base target="_top">')

const linkAddresses = (text: string): (string | HtmlMarkup)[] =>
  text
    .split(/(https?:\/\/\S+)/)
    .map((piece, index) => (index % 2 === 1 ? html`<a href="${piece}">${piece}</a>` : piece))
