import '#ui/icons/app-icons.ts'
import '#features/accounts/factor-words.ts'
import '#features/accounts/factors.css'
import { lazy, Suspense, useState } from 'react'
import type { SecondStep as Step } from '#contract/factors.ts'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { VerifyIdentityForm } from '#features/accounts/components/VerifyIdentityForm.tsx'
import { signInWithFactor, type IdentityProof } from '#features/accounts/factors-api.ts'

const FactorEnrolment = lazy(async () => ({
  default: (await import('#features/accounts/components/FactorEnrolment.tsx')).FactorEnrolment,
}))

/** Behind the right password: the second factor, or setting up the first one. What was typed before stays in the login. */
export function SecondStep({ step, account, onBack }: { step: Step; account: string; onBack: () => void }) {
  const { t } = useTranslation('factors')
  const dispatch = useDispatch()
  const [expiredProblem, setExpiredProblem] = useState<Problem | null>(null)
  async function signIn(proof: IdentityProof): Promise<Problem | null> {
    const { password: _never, ...factorProof } = proof
    const result = await dispatch(signInWithFactor({ mfa_token: step.mfa_token, ...factorProof }))
    if (result.kind !== 'problem') return null
    // The step before has to be done again: nothing typed here could help.
    if (result.problem.code === 'MFA_EXPIRED') setExpiredProblem(result.problem)
    return result.problem
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
          <FactorEnrolment mfaToken={step.mfa_token} account={account} onSignIn={() => signIn({})} />
        </Suspense>
      </AccountCard>
    )
  return (
    <AccountCard title={t('step.title')} intro={t('step.text', { account })}>
      <VerifyIdentityForm challenge={step} onProof={signIn} submitLabel={t('step.submit')}>
        {backButton}
      </VerifyIdentityForm>
    </AccountCard>
  )
}
