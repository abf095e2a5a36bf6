import { Box, Menu, Stack, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconKeyboard, IconLogout, IconMoon, IconShieldLock, IconSun } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useRef } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { useShortcutsPreference } from '#src/lib/key-shortcuts.ts';
import { signOut, useSignedIn } from '#src/lib/session.ts';
import shared from '#src/ui/shared.module.css';
import classes from './account-menu.module.css';
import { frShell } from './shell.fr.ts';
import { shortcutsDialog } from './shell-state.ts';

const themes = [
  { value: 'light', label: frShell.themeLight, icon: IconSun },
  { value: 'dark', label: frShell.themeDark, icon: IconMoon },
  { value: 'auto', label: frShell.themeAuto, icon: IconDeviceDesktop },
] as const;

const themeOf = (value: string): 'light' | 'dark' | 'auto' =>
  themes.find((theme) => theme.value === value)?.value ?? 'auto';

export function AccountMenu() {
  const { user } = useSignedIn();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [shortcuts, setShortcuts] = useShortcutsPreference();
  const button = useRef<HTMLButtonElement>(null);
  const router = useRouter();
  const queryClient = useQueryClient();
  const name = `${user.fname} ${user.lname}`;
  return (
    <Menu
      position="bottom-end"
      width={268}
      shadow="md"
      // Signing out offline ends there too.
      onOpen={() => void router.preloadRoute({ to: paths.signIn })}
    >
      <Menu.Target>
        <button ref={button} type="button" className={classes.button} aria-label={frShell.account(name)}>
          <span aria-hidden>{`${user.fname.charAt(0)}${user.lname.charAt(0)}`.toUpperCase()}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Stack gap={0} px={12} py={8} fz={13} className={shared.wrap}>
          <strong>{name}</strong>
          <span className={shared.muted}>{user.email}</span>
        </Stack>
        <Menu.Divider />
        <Menu.Label>{frShell.theme}</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(themeOf(value))}>
          {themes.map(({ value, label, icon: Icon }) => (
            <Menu.RadioItem key={value} value={value} rightSection={<Icon size={16} stroke={1.7} aria-hidden />}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.CheckboxItem
          checked={shortcuts === 'on'}
          onChange={(isOn) => setShortcuts(isOn ? 'on' : 'off')}
          rightSection={<IconKeyboard size={16} stroke={1.7} aria-hidden />}
        >
          {frShell.shortcuts}
          <span className={shared.under}>{frShell.shortcutsHint}</span>
        </Menu.CheckboxItem>
        <Menu.Item
          rightSection={<kbd className={shared.under}>?</kbd>}
          onClick={() => shortcutsDialog.set(button.current ?? document.body)}
        >
          {frShell.allShortcuts}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          component={Link}
          to={paths.security}
          leftSection={<IconShieldLock size={16} stroke={1.7} aria-hidden />}
        >
          {frScreens.security}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={16} stroke={1.7} aria-hidden />}
          onClick={() => void signOut(() => queryClient.clear())}
        >
          {frShell.signOut}
        </Menu.Item>
        <Menu.Divider />
        <Box component="p" px={12} py={4} fz={12} className={shared.muted}>
          {frShell.version(import.meta.env.VITE_VERSION)}
        </Box>
      </Menu.Dropdown>
    </Menu>
  );
}
