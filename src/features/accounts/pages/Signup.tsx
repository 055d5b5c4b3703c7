import { useWords } from '#ui/words.ts'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { Prepared } from '#features/accounts/components/Prepared.tsx'

export function Signup() {
  const t = useWords('accounts')
  return (
    <AccountCard title={t('signup.title')}>
      <Prepared text={t('signup.text')} now={t('signup.now')} />
    </AccountCard>
  )
}
