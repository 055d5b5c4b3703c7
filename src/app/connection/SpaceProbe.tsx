import { useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { hasFreeSpace } from '#local/space/free-space.ts'
import { deviceFullChanged } from '#state/connection-slice.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'

/**
 * Without a connection each page that is opened looks first whether this device could keep what is typed there. A disk without
 * a byte left does not even open the database.
 */
export function SpaceProbe() {
  const { networkState } = useConnection()
  const { key } = useLocation()
  const dispatch = useDispatch()
  useEffect(() => {
    let isActive = true
    const hasSpace = networkState === 'online' ? Promise.resolve(true) : hasFreeSpace().catch(() => false)
    void hasSpace.then((isFree) => isActive && dispatch(deviceFullChanged(!isFree)))
    return () => void (isActive = false)
  }, [networkState, key, dispatch])
  return null
}
