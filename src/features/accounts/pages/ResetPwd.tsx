import { useWords } from '#ui/words.ts'
import { AccountCard } from '#features/accounts/components/AccountCard.tsx'
import { Prepared } from '#features/accounts/components/Prepared.tsx'

export function ResetPwd() {
  const t = useWords('accounts')
  return (
    <AccountCard title={t('resetPwd.title')}>
      <Prepared text={t('resetPwd.text')} now={t('resetPwd.now')} />
    </AccountCard>
  )
}
