import '#ui/icons/app-icons.ts'
import '#features/accounts/factor-words.ts'
import '#features/accounts/factors.css'
import { lazy, Suspense, useState } from 'react'
import type { SecondStep as Step } from '#contract/factors.ts'
import type { Problem } from '#contract/problem.ts'
import type { CallResult } from '#request/call-results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { type IdentityProof, VerifyIdentityForm } from '#features/accounts/components/VerifyIdentityForm.tsx'
import { signInWithFactor } from '#features/accounts/sign-in-with-factor.ts'

const FactorEnrolment = lazy(async () => ({
  default: (await import('#features/accounts/components/FactorEnrolment.tsx')).FactorEnrolment,
}))

/** Asks for the second factor, or sets up the first one, after the password was accepted. */
export function SecondStep({ step, account, onBack }: { step: Step; account: string; onBack: () => void }) {
  const { t } = useTranslation('factors')
  const [expiredProblem, setExpiredProblem] = useState<Problem | null>(null)
  const signIn =
    ({ password: _never, ...factorProof }: IdentityProof): AppThunk<CallResult<unknown>> =>
    async (dispatch) => {
      const result = await dispatch(signInWithFactor({ mfa_token: step.mfa_token, ...factorProof }))
      // The first step has expired. Another code would not help, so the user has to enter the password again.
      if (result.kind === 'problem' && result.problem.code === 'MFA_EXPIRED') setExpiredProblem(result.problem)
      return result
    }
  const backButton = (
    <Button kind="plain" onClick={onBack}>
      {t('step.back')}
    </Button>
  )
  if (expiredProblem)
    return (
      <AccountCard title={t('step.title')}>
        <ProblemNote problem={{ ...expiredProblem, requestId: null }} shouldFocus>
          <Button onClick={onBack}>{t('step.back')}</Button>
        </ProblemNote>
      </AccountCard>
    )
  if (step.enrol)
    return (
      <AccountCard title={t('enrol.title')} intro={t('enrol.text')} footer={backButton}>
        <Suspense fallback={<Skeleton lines={4} />}>
          <FactorEnrolment mfaToken={step.mfa_token} account={account} signIn={() => signIn({})} />
        </Suspense>
      </AccountCard>
    )
  return (
    <AccountCard title={t('step.title')} intro={t('step.text', { account })}>
      <VerifyIdentityForm challenge={step} sendProof={signIn} submitLabel={t('step.submit')}>
        {backButton}
      </VerifyIdentityForm>
    </AccountCard>
  )
}
