/** Home with what the orders and the backups know: a feature sees no other one. */
import { type ComponentProps, lazy, useEffect } from 'react'
import { whenSettled } from '#app/idle.ts'
import { stands } from '#app/routes/paths.ts'
import { Home } from '#features/home/HomePage.tsx'

/** For who orders, after the first drawing; where its part is not kept yet and there is no line, home stands without it. */
const Duties = lazy<ComponentProps<typeof Home>['Duties']>(async () => {
  await whenSettled()
  return await import('#app/pages/HomeDuties.tsx').then(
    ({ HomeDuties: Drawn }) => ({ default: Drawn }),
    () => ({ default: NotHere }),
  )
})

function NotHere({ onDue }: { onDue: (due: 'unknown') => void }) {
  useEffect(() => onDue('unknown'), [onDue])
  return null
}

export const OwnHome = () => <Home Duties={Duties} stands={stands} />
