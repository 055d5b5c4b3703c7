import { Button, ButtonLink } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { isFiltered, type View } from '#features/modules/list-url.ts'

interface Props {
  view: View
  /** A list was read here before. */
  read: boolean
  /** Where one is made. */
  create: string
  onChange: (change: Partial<View>) => void
}

/** Never read here, nothing for this text, none yet (C-04, C-11). */
export function NoModules({ view, read, create, onChange }: Props) {
  const { t } = useTranslation('modules')
  if (!read)
    return (
      <EmptyState icon="offline" title={t('empty.notHere')}>
        {t('empty.notHereText')}
      </EmptyState>
    )
  if (isFiltered(view))
    return (
      <EmptyState
        icon="search"
        title={t('empty.noneFound')}
        action={<Button onClick={() => onChange({ searchText: '', page: 1 })}>{t('empty.dropAll')}</Button>}
      >
        {t('empty.noneFoundText')}
      </EmptyState>
    )
  const kind = view.shown === 'hidden' ? 'hidden' : 'visible'
  return (
    <EmptyState
      icon="module"
      title={t(`empty.${kind}`)}
      action={
        <ButtonLink to={create} icon="plus">
          {t(`create.${kind}`)}
        </ButtonLink>
      }
    >
      {t(`empty.${kind}Text`)}
    </EmptyState>
  )
}
