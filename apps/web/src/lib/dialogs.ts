export const isDialogOpen = () =>
  document.querySelector('dialog:popover-open, [role="dialog"], [role="alertdialog"]') !== null;
