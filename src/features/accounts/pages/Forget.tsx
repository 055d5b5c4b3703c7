import { useWords } from '#ui/words.ts'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { Prepared } from '#features/accounts/components/Prepared.tsx'

export function Forget() {
  const t = useWords('accounts')
  return (
    <AccountCard title={t('forget.title')}>
      <Prepared text={t('forget.text')} now={t('forget.now')} />
    </AccountCard>
  )
}
