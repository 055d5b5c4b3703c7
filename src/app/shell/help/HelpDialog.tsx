import { useEffect, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { lastFailedRequest } from '#app/connection/connection-monitor.ts'
import { readVersions, versionLine, type Versions } from '#app/pwa/versions.ts'
import { policies } from '#app/shell/help/policies.ts'
import { placeKeys } from '#app/shell/help/shortcut-keys.ts'
import { useConnection, useSession } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { CheckField } from '#ui/form/ChoiceFields.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { switchKeys, useKeysOn } from '#ui/page/single-keys.ts'
import { useTranslation } from 'react-i18next'

/** Whom to ask, the shortcuts, and what to send along with a question (A-34, C-21, C-25). All but the newest address stands without a line. */
export function Help({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('help')
  const { t: frame } = useTranslation('shell')
  const [versions, setVersions] = useState<Versions | null>(null)
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
        <Report versions={versions} />
        <Keys />
        <section>
          <h3>{t('policies')}</h3>
          <ul className="help-policies">
            {policies.map(({ name, href }) => (
              <li key={name}>
                <a href={href}>{frame(`policy.${name}`)}</a>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </Dialog>
  )
}

/** The address without its query: that may hold the key of a mail, or what somebody looks for. */
function useDetails(versions: Versions | null): string {
  const { line } = useConnection()
  const { pathname } = useLocation()
  const request = lastFailedRequest() ?? 'none'
  const build = versions ? versionLine(versions) : navigator.userAgent
  return [`address ${pathname}`, `connection ${line}`, `last failed request ${request}`, build].join(', ')
}

function Report({ versions }: { versions: Versions | null }) {
  const { t } = useTranslation('help')
  const [copied, setCopied] = useState(false)
  const details = useDetails(versions)
  // Missing on plain HTTP other than loopback; the text can still be selected by hand.
  const copy = () => void navigator.clipboard?.writeText(details).then(() => setCopied(true))
  return (
    <section>
      <h3>{t('report.title')}</h3>
      <p>
        {t('report.text')} {versions && t('report.version', { version: versions.page })}
      </p>
      <Button icon={copied ? 'check' : 'copy'} onClick={copy}>
        {t('report.copy')}
      </Button>
      <span className="field-help" role="status">
        {copied ? t('report.copied') : ''}
      </span>
      <details>
        <summary>{t('report.what')}</summary>
        <code>{details}</code>
      </details>
    </section>
  )
}

function Keys() {
  const { t } = useTranslation('help')
  const { t: frame } = useTranslation('shell')
  const session = useSession()
  const caller = session.kind === 'signed in' ? session.caller : null
  const on = useKeysOn()
  const single = [
    { keys: ['?'], does: t('keys.help') },
    { keys: ['/'], does: t('keys.search') },
    ...placeKeys(caller).map(({ key, place }) => ({
      keys: ['g', key],
      does: t('keys.go', { page: frame(`menu.${place}`) }),
    })),
  ]
  const always = [
    { keys: ['F8'], does: t('keys.toast') },
    { keys: ['Esc'], does: t('keys.close') },
  ]
  return (
    <section>
      <h3>{t('keys.title')}</h3>
      <dl className="help-keys">
        {[...(on ? single : []), ...always].map(({ keys, does }) => (
          <div key={keys.join('')}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <CheckField
        look="switch"
        label={t('keys.single')}
        help={t('keys.singleHelp')}
        checked={on}
        onChange={({ target }) => switchKeys(target.checked)}
      />
    </section>
  )
}
