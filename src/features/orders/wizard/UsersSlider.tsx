import { useTranslation } from 'react-i18next'

interface Props {
  value: number
  min: number
  max: number
  onChange: (users: string) => void
}

/** The slider beside the number of users; the number may lie beyond where it ends. */
export function UsersRange({ value, min, max, onChange }: Props) {
  const { t } = useTranslation('wizard')
  return (
    <input
      type="range"
      className="users-range"
      aria-label={t('field.usersRange')}
      min={min}
      max={max}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
