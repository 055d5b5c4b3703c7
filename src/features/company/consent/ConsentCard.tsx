import '#features/company/consent/consent.css'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { type ConsentRow, listConsents, revokeConsent } from '#contract/staff/acting-calls.ts'
import { useIsPast } from '#patterns/useIsPast.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { useReadOnReturn } from '#state/live-changes.ts'
import { useRecord } from '#state/use-record.ts'
import { Button } from '#ui/display/Button.tsx'
import { LoadPlaceholder } from '#ui/list/LoadPlaceholder.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { ConsentForm } from '#features/company/consent/ConsentForm.tsx'

type Uses = ConsentRow['uses']

/** Lets an admin allow the provider's staff to see the portal as an admin of the company, and shows who did (decision 111). */
export function ConsentCard() {
  const { t } = useTranslation('company')
  const { record: consents, problem, refetch } = useRecord(listConsents, {})
  const headingRef = useRef<HTMLHeadingElement>(null)
  // Shows when the staff began and stopped.
  useReadOnReturn(() => void refetch())
  const latestValid = consents?.find(({ state }) => state === 'valid')
  const isOver = useIsPast(latestValid?.until ?? null)
  const valid = isOver ? undefined : latestValid
  const earlier = consents?.filter((consent) => consent !== valid).slice(0, 3) ?? []
  // The button that had the focus is replaced, so the heading gets it.
  const handleChange = async () => {
    await refetch()
    headingRef.current?.focus()
  }
  return (
    <section className="card consent" aria-labelledby="consent-title">
      <h2 id="consent-title" ref={headingRef} tabIndex={-1}>
        {t('consent.title')}
      </h2>
      {!consents && (
        <LoadPlaceholder
          problem={problem}
          title={t('consent.notLoaded')}
          offlineTitle={t('consent.notHere')}
          offlineText={t('missingOffline')}
          onRetry={() => void refetch()}
        />
      )}
      {consents && <LoadProblem problem={problem} onRetry={() => void refetch()} />}
      {valid && <ValidConsent consent={valid} onEnd={handleChange} />}
      {consents && !valid && (
        <>
          <p>{t('consent.lead')}</p>
          <ConsentForm onDone={handleChange} />
        </>
      )}
      {earlier.length > 0 && (
        <div>
          <h3>{t('consent.earlier')}</h3>
          <ul className="consent-list">
            {earlier.map((consent) => (
              <li key={consent.id}>
                <EarlierConsent consent={consent} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}

interface ValidConsentProps {
  consent: ConsentRow
  onEnd: () => Promise<void>
}

function ValidConsent({ consent, onEnd }: ValidConsentProps) {
  const { t } = useTranslation('company')
  const disabledReason = useUnsendableReason(t('consent.offline'))
  const { run, isBusy, problem } = useAction(revokeConsent)
  async function revoke() {
    const result = await run({ params: { id: consent.id } })
    if (result.kind === 'problem') return
    showToast({ kind: 'done', text: t('consent.endedToast') })
    await onEnd()
  }
  return (
    <>
      <p>
        <strong>{t('consent.valid', { time: toMinutes(consent.until) })}</strong>{' '}
        {t(consent.allows_changes ? 'consent.scopeChanges' : 'consent.scope')}
      </p>
      <p className="field-help">
        {t('consent.givenBy', { name: consent.giver_name, time: toMinutes(consent.create_time) })}
        {consent.reason !== '' && (
          <>
            {' '}
            <bdi>{t('consent.because', { reason: consent.reason })}</bdi>
          </>
        )}
      </p>
      <div role="status">
        {consent.uses.length === 0 ? <p>{t('consent.unused')}</p> : <UseList uses={consent.uses} />}
      </div>
      <ProblemNote problem={problem} title={t('consent.notEnded')} shouldFocus />
      <div>
        <Button kind="danger" isBusy={isBusy} disabledReason={disabledReason} onClick={() => void revoke()}>
          {t('consent.end')}
        </Button>
      </div>
    </>
  )
}

function UseList({ uses }: { uses: Uses }) {
  const { t } = useTranslation('company')
  return (
    <ul className="consent-list">
      {uses.map((use) => (
        <li key={`${use.user_name} ${use.start_time}`}>
          {use.end_time === null
            ? t('consent.useSince', { name: use.user_name, time: toMinutes(use.start_time) })
            : t('consent.useFrom', {
                name: use.user_name,
                time: toMinutes(use.start_time),
                end: toMinutes(use.end_time).slice(11),
              })}
        </li>
      ))}
    </ul>
  )
}

function EarlierConsent({ consent }: { consent: ConsentRow }) {
  const { t } = useTranslation('company')
  const names = [...new Set(consent.uses.map(({ user_name: name }) => name))].join(t('consent.comma'))
  return (
    <>
      {t('consent.period', {
        time: toMinutes(consent.create_time),
        end: toMinutes(consent.end_time ?? consent.until),
      })}
      <span className="field-help">
        {names === '' ? t('consent.nobody') : t('consent.usedBy', { names })}
        {consent.allows_changes && ` ${t('consent.withChanges')}`}
        {consent.state === 'revoked' && ` ${t('consent.revoked')}`}
      </span>
    </>
  )
}

/** Without seconds, which nobody needs here. */
const toMinutes = (timestamp: string) => timestamp.slice(0, 16)
