import { useEffect, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { getFailedRequestId } from '#app/connection/connection-monitor.ts'
import { readVersions, formatVersions, type BuildVersions } from '#app/pwa/versions.ts'
import { isApple } from '#ui/page/is-apple.ts'
import { policies } from '#app/shell/help/policies.ts'
import { getShortcutKeys } from '#app/shell/help/shortcut-keys.ts'
import { useConnection, useSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { CheckField } from '#ui/form/choice-fields.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { setSingleKeys, useSingleKeys } from '#ui/page/single-keys.ts'
import { useTranslation } from 'react-i18next'

/** Contacts, shortcuts and details for a question (A-34, C-21, C-25). Offline the mail address may be old. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('help')
  const { t: tShell } = useTranslation('shell')
  const [versions, setVersions] = useState<BuildVersions | null>(null)
  useEffect(() => void readVersions().then(setVersions), [])
  return (
    <Dialog open title={t('title')} onClose={onClose}>
      <div className="help">
        <section>
          <h3>{t('contact.title')}</h3>
          {versions?.support ? (
            <p>
              <a href={`mailto:${versions.support}`}>{t('contact.write')}</a> <CopyText text={versions.support} />
            </p>
          ) : (
            <p className="field-help">{t(versions ? 'contact.unknown' : 'contact.asking')}</p>
          )}
        </section>
        <ReportDetails versions={versions} />
        <ShortcutKeys />
        <section>
          <h3>{t('policies')}</h3>
          <ul className="help-policies">
            {policies.map(({ name, href }) => (
              <li key={name}>
                <a href={href}>{tShell(`policy.${name}`)}</a>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </Dialog>
  )
}

/** Returns the details of a problem report. The address has no query, which may contain a key from a mail or a search text. */
function useDetails(versions: BuildVersions | null): string {
  const { networkState } = useConnection()
  const { pathname } = useLocation()
  const requestId = getFailedRequestId() ?? 'none'
  const build = versions ? formatVersions(versions) : navigator.userAgent
  return [`address ${pathname}`, `connection ${networkState}`, `last failed request ${requestId}`, build].join(', ')
}

function ReportDetails({ versions }: { versions: BuildVersions | null }) {
  const { t } = useTranslation('help')
  const [isCopied, setIsCopied] = useState(false)
  const details = useDetails(versions)
  // `navigator.clipboard` is missing on plain HTTP except loopback. The text can still be selected by hand.
  const copy = () => void navigator.clipboard?.writeText(details).then(() => setIsCopied(true))
  return (
    <section>
      <h3>{t('report.title')}</h3>
      <p>
        {t('report.text')} {versions && t('report.version', { version: versions.page })}
      </p>
      <Button icon={isCopied ? 'check' : 'copy'} onClick={copy}>
        {t('report.copy')}
      </Button>
      <span className="field-help" role="status">
        {isCopied ? t('report.copied') : ''}
      </span>
      <details>
        <summary>{t('report.what')}</summary>
        <code>{details}</code>
      </details>
    </section>
  )
}

const listKeys = [
  { keys: ['c'], name: 'create' },
  { keys: ['j', 'k'], name: 'move' },
  { keys: ['x'], name: 'select' },
  { keys: ['e'], name: 'open' },
] as const

const searchKeys = [isApple ? '⌘ K' : 'Ctrl K']

function ShortcutKeys() {
  const { t } = useTranslation('help')
  const { t: tShell } = useTranslation('shell')
  const session = useSession()
  const caller = session.kind === 'signed in' ? session.caller : null
  const areSingleKeysOn = useSingleKeys()
  const singleKeys = [
    { keys: ['?'], description: t('keys.help') },
    { keys: ['/'], description: t('keys.search') },
    ...(caller ? listKeys.map(({ keys, name }) => ({ keys, description: t(`keys.${name}`) })) : []),
    ...getShortcutKeys(caller).map(({ key, routeName }) => ({
      keys: ['g', key],
      description: t('keys.go', { page: tShell(`menu.${routeName}`) }),
    })),
  ]
  const otherKeys = [
    ...(caller ? [{ keys: searchKeys, description: t('keys.palette') }] : []),
    { keys: ['F8'], description: t('keys.toast') },
    { keys: ['Esc'], description: t('keys.close') },
  ]
  return (
    <section>
      <h3>{t('keys.title')}</h3>
      <dl className="help-keys">
        {[...(areSingleKeysOn ? singleKeys : []), ...otherKeys].map(({ keys, description }) => (
          <div key={keys.join('')}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        variant="switch"
        label={t('keys.single')}
        help={t('keys.singleHelp')}
        checked={areSingleKeysOn}
        onChange={({ target }) => setSingleKeys(target.checked)}
      />
    </section>
  )
}
