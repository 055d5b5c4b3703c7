import { useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { hasRoom } from '#local/storage/room.ts'
import { fullChanged } from '#state/connection-slice.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'

/** Without a connection each page that is opened looks first whether this device could keep what is typed there. */
export function RoomProbe() {
  const { line } = useConnection()
  const { key } = useLocation()
  const dispatch = useDispatch()
  useEffect(() => {
    let isStill = true
    const found = line === 'online' ? Promise.resolve(true) : hasRoom()
    void found.then((room) => isStill && dispatch(fullChanged(!room)))
    return () => void (isStill = false)
  }, [line, key, dispatch])
  return null
}
