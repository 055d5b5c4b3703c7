/**
 * Bytes that Docker 20.10 has sent for `GET /tasks/ID/logs?stdout=true&stderr=true&timestamps=true`. A program has written lines of every
 * kind and ended in the middle of a line. `notScheduledLog` is the log of a task without a node.
 */
import { gunzipSync } from 'node:zlib'

const decode = (text: string): Buffer => gunzipSync(Buffer.from(text, 'base64'))

export const recordedLog: Buffer = decode(
  'H4sIAAAAAAACA+3cPW7UUBSA0SEds4WAeAUUSEw0tp//UrEIKqfBgx0RacYTeRwBG2EP7ICerbAQJCZTRMhAh5DOKb7q3reBK72z' +
    'xU8v03VarJJkldZv0uwySS/TeFGvs6yMZZk2oQ23436z7XfLs98vxCwr8nUT+nHcj2HTdqeFanahKJLYhJvheh+ux/0uHKZ26Nqx' +
    'O76xfHTcfzWzX2RJkZ/2D1M7Tn132qlnd/JY10340I5DOL/Kkt3Yd+dX693jqd0shrvt6YEXsw+UdZU14Xbb3gyn4TA7XOdV3oT7' +
    'udfP5uZiWVRVEz4CAAAAAAAAAAAAAAAAAAAA/5xvAgAAAAAAAAAAAAAAAAAAAOC/cfwm4Mlb3wQAAAAAAAAAf2l5vDM+3c7cGctY' +
    'lHXehO9fP3/7IiIiIiIiIiIiIiIiIiIiD3J/c108n7u5FrGskyYc2l3/59kir+PD2dWvs/lFzNMqq+O6aMK7uylsPoXpfR/6ofsB' +
    'zDOASSO8AAA=',
)

export const notScheduledLog: Buffer = decode(
  'H4sIAAAAAAAAAy2Nyw3CMBBEkbhRxVSAED+hSDlSAgU49mKHOLth10lEh5SFEjHHeZo3282a711VFFFd07QckSVaBR08aAEVvARC' +
    'jQd3LDMjkHnUmJ1yy7FCy176IVOhZQorSq7fw6RfC4OXMQewFDQEpaItTRTwFEVJhKfkLPPyrORM2CoUZx1KOqtetfSf23Fwwfwh' +
    'v6b3JZyQnP11xDCfKIyZwu4HzkvHAdAAAAA=',
)
