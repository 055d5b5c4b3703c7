import '#features/home/setup/setup.css'
import '#features/home/setup/translations.ts'
import type { SetupStep } from '#contract/accounts.ts'
import { useReport, type OnReport } from '#ui/page/home-report.ts'
import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Freshness } from '#ui/list/Freshness.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { type StepTarget, stepTargets } from '#features/home/setup/setup-steps.ts'
import { useSetup } from '#features/home/setup/useSetup.ts'

export interface SetupCardProps {
  /** False while the page waits for its reports. Until then the card is not shown, so that the layout does not shift. */
  isSettled: boolean
  onReport: OnReport
}

/** The first steps of a new company or a new provider, each with its reason and the way to it (decision 112). */
export function SetupCard({ isSettled, onReport }: SetupCardProps) {
  const { t } = useTranslation('setup')
  const { state, steps, asOf, setHidden } = useSetup()
  useReport({ source: 'setup', state, duties: [], figures: {}, hasSteps: steps !== null }, onReport)
  if (!isSettled || steps === null) return null
  const doneCount = steps.filter((step) => step.state === 'done').length
  const numbers = { done: doneCount, total: steps.length }
  const hide = () => {
    setHidden(true)
    // The pressed button disappears with the card.
    document.querySelector<HTMLElement>('main h1')?.focus()
    showToast({ kind: 'note', text: t('hidden'), action: { label: t('undo'), onRun: () => setHidden(false) } })
  }
  return (
    <section className="card home-card setup" aria-labelledby="home-setup">
      <h2 id="home-setup">
        {t('title')}{' '}
        <span className="setup-count" aria-hidden="true">
          {t('count', numbers)}
        </span>
        <span className="sr-only">{t('counted', numbers)}</span>
      </h2>
      <ul className="home-list">
        {steps.map((step) => (
          <Step key={step.name} {...step} />
        ))}
      </ul>
      <p className="home-foot">
        <Button kind="plain" onClick={hide}>
          {t('hide')}
        </Button>
        <Freshness freshness={{ asOf, cachedCount: 1, total: 1, complete: true }} />
      </p>
    </section>
  )
}

function Step({ name, state }: SetupStep) {
  const { t } = useTranslation('setup')
  const target = stepTargets[name]
  if (state === 'done')
    return (
      <li className="home-item setup-done">
        <Icon name="check" />
        <span className="home-words">
          <strong>{t(`step.${name}.title`)}</strong>
          <span className="sr-only">{t('done')}</span>
        </span>
      </li>
    )
  return (
    <li className={`home-item${state === 'failed' ? ' urgent' : ''}`}>
      {state === 'failed' ? <Icon name="alert" /> : <span className="setup-open" />}
      <span className="home-words">
        <strong>{t(`step.${name}.title`)}</strong>
        <span>{t(state === 'failed' ? 'failed' : `step.${name}.why`)}</span>
        {'settings' in target && <Settings {...target} />}
      </span>
      {'path' in target && (
        <ButtonLink to={target.path}>
          {t(`step.${name}.action` as 'step.address.action')} <span className="sr-only">{t(`step.${name}.title`)}</span>
        </ButtonLink>
      )}
    </li>
  )
}

function Settings({ settings, document, section }: Extract<StepTarget, { document: string }>) {
  const { t } = useTranslation('setup')
  return (
    <span className="setup-settings">
      {t('set')}{' '}
      {settings.map((setting) => (
        <code key={setting}>{setting}</code>
      ))}{' '}
      <span>{t('see', { section, document })}</span>
    </span>
  )
}
