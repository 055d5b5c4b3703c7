import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'
import { DraftOffer } from '#ui/form/DraftOffer.tsx'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { Note } from '#features/accounts/components/Note.tsx'
import { type CompanyFieldsComponent, RegisterCompany } from '#features/accounts/components/RegisterCompany.tsx'
import { RegisterUser } from '#features/accounts/components/RegisterUser.tsx'
import { RegistrationSent } from '#features/accounts/components/RegistrationSent.tsx'
import {
  emptySignup,
  isTyped,
  storeDraft,
  storeEarlierDraft,
  readDrafts,
  type SignupStep,
} from '#features/accounts/signup-draft.ts'
import { signupOpened } from '#features/accounts/registration.ts'

const steps = ['company', 'user', 'sent'] as const satisfies SignupStep[]

/** Three steps: register company, register user, activation mail sent (portal 2). */
export function Signup({ CompanyFields }: { CompanyFields: CompanyFieldsComponent }) {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const [storedDrafts] = useState(() => readDrafts())
  const [draft, setDraft] = useState(storedDrafts.draft)
  const [earlierDraft, setEarlierDraft] = useState(storedDrafts.earlierDraft)
  const [companyProblems, setCompanyProblems] = useState<readonly FieldProblem[]>([])
  const { step, values } = draft
  const { networkState: connection } = useConnection()
  useEffect(() => void dispatch(signupOpened()), [dispatch])
  useEffect(() => storeDraft(draft), [draft])

  // A new step gets the focus, so that it is announced, and the page scrolls to the top. If the server refused a field, that field
  // gets the focus instead. This is a layout effect: a later effect could take the focus from a field that a fast user is already in.
  const displayedStep = useRef(step)
  const stepsRef = useRef<HTMLOListElement>(null)
  useLayoutEffect(() => {
    if (displayedStep.current === step) return
    displayedStep.current = step
    scrollTo(0, 0)
    if (companyProblems.length === 0) stepsRef.current?.focus({ preventScroll: true })
  }, [step, companyProblems])

  const goToStep = (next: SignupStep) => setDraft((current) => ({ ...current, step: next }))
  const changeValues = (fields: Partial<typeof values>) =>
    setDraft((current) => ({ ...current, values: { ...current.values, ...fields } }))

  function acceptEarlier() {
    if (!earlierDraft) return
    const replacedDraft = isTyped(draft) ? draft : null
    storeEarlierDraft(replacedDraft)
    setEarlierDraft(replacedDraft && { draft: replacedDraft, storedAt: Date.now() })
    setDraft(earlierDraft.draft)
  }
  function discardEarlier() {
    storeEarlierDraft(null)
    setEarlierDraft(null)
  }

  return (
    <AccountCard
      title={t('signup.title')}
      intro={step === 'company' ? t('signup.lead') : undefined}
      footer={
        step !== 'sent' && (
          <>
            {t('signup.loginQuestion')} <Link to="/login">{t('toLogin')}</Link>
          </>
        )
      }
    >
      <ol className="account-steps" ref={stepsRef} tabIndex={-1} aria-label={t('signup.steps')}>
        {steps.map((stepName) => (
          <li key={stepName} aria-current={stepName === step ? 'step' : undefined}>
            {t(`signup.step.${stepName}`)}
          </li>
        ))}
      </ol>
      {earlierDraft && step !== 'sent' && (
        <DraftOffer savedAt={earlierDraft.storedAt} onContinue={acceptEarlier} onDiscard={discardEarlier} />
      )}
      {connection !== 'online' && step === 'company' && <Note kind="pending">{t('signup.offline')}</Note>}
      {step === 'company' && (
        <RegisterCompany
          {...{ CompanyFields, values, serverProblems: companyProblems }}
          onChange={changeValues}
          onDone={() => {
            setCompanyProblems([])
            goToStep('user')
          }}
        />
      )}
      {step === 'user' && (
        <RegisterUser
          values={values}
          onChange={changeValues}
          onBack={() => goToStep('company')}
          onCompanyProblems={(newProblems) => {
            setCompanyProblems(newProblems)
            goToStep('company')
          }}
          onDone={(email) => {
            changeValues({ user_email: email })
            goToStep('sent')
          }}
        />
      )}
      {step === 'sent' && <RegistrationSent values={values} onAnother={() => setDraft(emptySignup)} />}
    </AccountCard>
  )
}
