import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { useTranslation } from 'react-i18next'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { type CompanyForm, RegisterCompany } from '#features/accounts/components/RegisterCompany.tsx'
import { RegisterUser } from '#features/accounts/components/RegisterUser.tsx'
import { Registered } from '#features/accounts/components/Registered.tsx'
import { emptySignup, isTyped, keepDraft, putEarlier, readDrafts, type Step } from '#features/accounts/signup-draft.ts'
import { signupOpened } from '#features/accounts/registration.ts'

const steps = ['company', 'user', 'sent'] as const satisfies Step[]

/** Register company, register user, activation mail sent (portal 2). */
export function Signup({ CompanyFields }: { CompanyFields: CompanyForm }) {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const [stored] = useState(() => readDrafts())
  const [draft, setDraft] = useState(stored.draft)
  const [earlier, setEarlier] = useState(stored.earlier)
  const [refused, setRefused] = useState<readonly FieldProblem[]>([])
  const { step, values } = draft
  const { line } = useConnection()
  useEffect(() => void dispatch(signupOpened()), [dispatch])
  useEffect(() => keepDraft(draft), [draft])

  // The next step is told and stands at the top; what was refused takes the focus by itself. With the step and not
  // after it: who is quick has a field of it in hand by then.
  const shown = useRef(step)
  const top = useRef<HTMLOListElement>(null)
  useLayoutEffect(() => {
    if (shown.current === step) return
    shown.current = step
    scrollTo(0, 0)
    if (refused.length === 0) top.current?.focus({ preventScroll: true })
  }, [step, refused])

  const go = (next: Step) => setDraft((now) => ({ ...now, step: next }))
  const change = (fields: Partial<typeof values>) =>
    setDraft((now) => ({ ...now, values: { ...now.values, ...fields } }))

  /** What stands in the form by then is offered in its place. */
  function acceptEarlier() {
    if (!earlier) return
    const aside = isTyped(draft) ? draft : null
    putEarlier(aside)
    setEarlier(aside && { draft: aside, at: Date.now() })
    setDraft(earlier.draft)
  }
  function discardEarlier() {
    putEarlier(null)
    setEarlier(null)
  }

  return (
    <AccountCard
      title={t('signup.title')}
      intro={step === 'company' ? t('signup.lead') : undefined}
      below={
        step !== 'sent' && (
          <>
            {t('signup.loginQuestion')} <Link to="/login">{t('toLogin')}</Link>
          </>
        )
      }
    >
      <ol className="account-steps" ref={top} tabIndex={-1} aria-label={t('signup.steps')}>
        {steps.map((one) => (
          <li key={one} aria-current={one === step ? 'step' : undefined}>
            {t(`signup.step.${one}`)}
          </li>
        ))}
      </ol>
      {earlier && step !== 'sent' && (
        <DraftOffer at={earlier.at} onContinue={acceptEarlier} onDiscard={discardEarlier} />
      )}
      {line !== 'online' && step === 'company' && <Note kind="pending">{t('signup.offline')}</Note>}
      {step === 'company' && (
        <RegisterCompany
          {...{ CompanyFields, values, refused }}
          onChange={change}
          onDone={() => {
            setRefused([])
            go('user')
          }}
        />
      )}
      {step === 'user' && (
        <RegisterUser
          values={values}
          onChange={change}
          onBack={() => go('company')}
          onRefused={(found) => {
            setRefused(found)
            go('company')
          }}
          onDone={(email) => {
            change({ user_email: email })
            go('sent')
          }}
        />
      )}
      {step === 'sent' && <Registered values={values} onAnother={() => setDraft(emptySignup)} />}
    </AccountCard>
  )
}
