import type { UserStatus } from '#domain/accounts/users.ts'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'

const tones: Record<UserStatus, TagTone> = { 1: 'positive', 0: 'accent', [-1]: 'neutral', [-2]: 'danger' }

export function UserStatusTag({ status }: { status: UserStatus }) {
  const { t } = useTranslation('users')
  return <Tag tone={tones[status]}>{t(`status.${status}`)}</Tag>
}
